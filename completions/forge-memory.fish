# Completion of forge-memory for fish. To load it in every shell:
#   forge-memory completion fish > ~/.config/fish/completions/forge-memory.fish

function __forge_memory_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l answer ($program completion fish -- $words "$current" 2>/dev/null </dev/null)
    set -l kind $answer[1]
    set -e answer[1]
    switch "$kind"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case '*'
            for line in $answer
                printf '%s\n' "$line"
            end
    end
end

complete -c forge-memory -f -a '(__forge_memory_complete)'
