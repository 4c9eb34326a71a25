/** The completion scripts: they run the tool for completions, and the shell completes files and folders. */
import type { Shell } from './parse-line.ts';

/** The commands that install the scripts. */
export const INSTALL_COMMANDS: Readonly<Record<Shell, string>> = {
  bash: `echo 'eval "$(formulary completion bash)"' >> ~/.bashrc`,
  zsh: `echo 'eval "$(formulary completion zsh)"' >> ~/.zshrc`,
  fish: 'formulary completion fish > ~/.config/fish/completions/formulary.fish',
  powershell: "Add-Content $PROFILE 'formulary completion powershell | Out-String | Invoke-Expression'",
};

/** Where the shells keep completion files; PowerShell has no such folder. */
export const SYSTEM_FILES: Readonly<Partial<Record<Shell, string>>> = {
  bash: '/usr/share/bash-completion/completions/formulary',
  zsh: '_formulary in a folder of $fpath, such as /usr/share/zsh/site-functions',
  fish: '/usr/share/fish/vendor_completions.d/formulary.fish',
};

/** Always run `formulary`, not the first word of the line, which may be any program. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  // Works in bash 3.2 (macOS), which has no compopt. The line is never evaluated.
  bash: `# formulary completion for bash; ~/.bashrc: eval "$(formulary completion bash)"
_formulary() {
  COMPREPLY=()
  local line kind= head= current=\${COMP_WORDS[COMP_CWORD]}
  while IFS= read -r line; do
    if [ -z "$kind" ]; then head=$line kind=\${line%%$'\\t'*}; else COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <(command formulary completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" </dev/null 2>/dev/null)
  case $kind in
    files)
      # After an @ bash completes host names.
      case $head in
        *@)
          compopt -o filenames 2>/dev/null || return
          while IFS= read -r line; do COMPREPLY+=("@$line"); done < <(compgen -f -- "\${current#@}")
          ;;
      esac
      return
      ;;
    folders) compopt -o dirnames +o default 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
  case \${COMPREPLY[0]} in *[=@]) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -F _formulary formulary
`,
  zsh: `#compdef formulary
# formulary completion for zsh; ~/.zshrc: eval "$(formulary completion zsh)"
_formulary() {
  local -a lines words_ open_
  local line value
  lines=("\${(@f)$(command formulary completion zsh -- "\${(@)words[2,CURRENT]}" </dev/null 2>/dev/null)}")
  case \${lines[1]%%$'\\t'*} in
    files|folders)
      local prefix=\${lines[1]#*$'\\t'}
      [[ -n $prefix ]] && compset -P "\${(b)prefix}"
      if [[ $lines[1] == folders* ]]; then _path_files -/; else _files; fi
      return
      ;;
    words) ;;
    *) return 1 ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$'\\t'*}
    if [[ $value == *[=@] ]]; then open_+=("$value"); else words_+=("\${value//:/\\\\:}:\${line#*$'\\t'}"); fi
  done
  (( $#open_ )) && compadd -S '' -a open_
  (( $#words_ )) && _describe -t formulary formulary words_
  return 0
}
if [[ $funcstack[1] == _formulary ]]; then
  _formulary "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _formulary formulary
fi
`,
  fish: `# formulary completion for fish: formulary completion fish > ~/.config/fish/completions/formulary.fish
function __formulary_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command formulary completion fish -- $words[2..-1] "$current" </dev/null 2>/dev/null)
    set -l head (string split \\t -- $lines[1])
    set -l rest (string sub -s (math 1 + (string length -- "$head[2]")) -- "$current")
    switch "$head[1]"
        case files
            for found in (__fish_complete_path "$rest")
                printf '%s%s\\n' $head[2] $found
            end
        case folders
            for found in (__fish_complete_directories "$rest" '')
                printf '%s%s\\n' $head[2] $found
            end
        case words
            printf '%s\\n' $lines[2..-1]
    end
end
complete -c formulary -f -a '(__formulary_complete)'
`,
  // Without results, PowerShell completes files and folders. Works in Windows PowerShell 5.1 too.
  powershell: `# formulary completion for PowerShell; $PROFILE: formulary completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName formulary -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
    ForEach-Object { $_.ToString() } | Where-Object { $_ -ne '' })
  $lines = @(& formulary completion powershell '--' @before "=$wordToComplete" 2>$null)
  if ($lines.Count -eq 0) { return }
  $kind, $prefix = $lines[0] -split "\`t", 2
  if ($kind -eq 'words') {
    foreach ($line in $lines | Select-Object -Skip 1) {
      $value, $description = $line -split "\`t", 2
      if (-not $description) { $description = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
    }
  } elseif ($kind -eq 'files' -and $prefix) {
    foreach ($found in [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete.Substring($prefix.Length))) {
      $text = $prefix + $found.CompletionText
      [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $text)
    }
  }
}
`,
};
