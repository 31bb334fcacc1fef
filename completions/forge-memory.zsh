#compdef forge-memory
# Completion of forge-memory for zsh. To load it in every shell, add this line to ~/.zshrc, after compinit:
#   source <(forge-memory completion zsh)
# Or write it to a file named _forge-memory in a folder of $fpath.

_forge_memory() {
  local -a answer described
  local line value about kind program
  # Whatever the line begins with: a program of the current folder may have come with a clone.
  program=$(whence -p forge-memory)
  if [[ $program != /* || $program == "$PWD"/* || $program == "${PWD:A}"/* ]]; then return; fi
  answer=("${(@f)$("$program" completion zsh -- "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null </dev/null)}")
  kind=$answer[1]
  for line in "${(@)answer[2,-1]}"; do
    value=${line%%$'\t'*}
    about=''
    [[ $line == *$'\t'* ]] && about=":${line#*$'\t'}"
    described+=("${value//:/\\:}$about")
  done
  case $kind in
    files) _files ;;
    folders) _files -/ ;;
    *) (( $#described )) && _describe -t values 'forge-memory' described ;;
  esac
}

if [[ $funcstack[1] == _forge-memory ]]; then
  _forge_memory "$@"
else
  compdef _forge_memory forge-memory
fi
