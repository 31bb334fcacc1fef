# Completion of forge-memory for bash. To load it in every shell, add this line to ~/.bashrc:
#   source <(forge-memory completion bash)

_forge_memory() {
  local line=${COMP_LINE:0:COMP_POINT} words=() kind='' value about current begun program
  # Whatever the line begins with: a program of the current folder may have come with a clone.
  program=$(type -P forge-memory)
  if [[ $program != /* || $program == "$PWD"/* || $program == "$(pwd -P)"/* ]]; then return; fi
  # Splits at blanks and expands nothing.
  read -r -d '' -a words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  COMPREPLY=()
  while IFS=$'\t' read -r value about; do
    if [[ -z $kind ]]; then kind=$value; else COMPREPLY+=("$value"); fi
  done < <("$program" completion bash -- "${words[@]:1}" 2>/dev/null </dev/null)
  case $kind in
    files) compopt -o default 2>/dev/null ;;
    folders) compopt -o dirnames 2>/dev/null ;;
  esac
  # Where readline splits words at these signs, it replaces only what comes after the last of them.
  current=${words[${#words[@]} - 1]}
  begun=''
  if [[ $COMP_WORDBREAKS == *:* && $current == *:* ]]; then begun=${current%"${current##*:}"}; fi
  if [[ $COMP_WORDBREAKS == *=* && ${current#"$begun"} == *=* ]]; then begun=${current%"${current##*[:=]}"}; fi
  if [[ -n $begun && ${#COMPREPLY[@]} -gt 0 ]]; then COMPREPLY=("${COMPREPLY[@]#"$begun"}"); fi
}

complete -F _forge_memory forge-memory
