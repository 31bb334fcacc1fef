# Completion of forge-memory for fish. To load it in every shell:
#   forge-memory completion fish > ~/.config/fish/completions/forge-memory.fish

function __forge_memory_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    # Whatever the line begins with: a program of the current folder may have come with a clone.
    set -l program (command -s forge-memory)[1]
    for folder in "$PWD/" (pwd -P)/
        if test (string sub -l (string length -- $folder) -- "$program") = $folder
            return
        end
    end
    if test (string sub -l 1 -- "$program") != /
        return
    end
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
