# formulary completion for fish: formulary completion fish > ~/.config/fish/completions/formulary.fish
function __formulary_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command formulary completion fish -- $words[2..-1] "$current" </dev/null 2>/dev/null)
    set -l head (string split \t -- $lines[1])
    set -l rest (string sub -s (math 1 + (string length -- "$head[2]")) -- "$current")
    switch "$head[1]"
        case files
            for found in (__fish_complete_path "$rest")
                printf '%s%s\n' $head[2] $found
            end
        case folders
            for found in (__fish_complete_directories "$rest" '')
                printf '%s%s\n' $head[2] $found
            end
        case words
            printf '%s\n' $lines[2..-1]
    end
end
complete -c formulary -f -a '(__formulary_complete)'
