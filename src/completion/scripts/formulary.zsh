#compdef formulary
# formulary completion for zsh; ~/.zshrc: eval "$(formulary completion zsh)"
_formulary() {
  local -a lines words_ open_
  local line value
  lines=("${(@f)$(command formulary completion zsh -- "${(@)words[2,CURRENT]}" </dev/null 2>/dev/null)}")
  case ${lines[1]%%$'\t'*} in
    files|folders)
      local prefix=${lines[1]#*$'\t'}
      [[ -n $prefix ]] && compset -P "${(b)prefix}"
      if [[ $lines[1] == folders* ]]; then _path_files -/; else _files; fi
      return
      ;;
    words) ;;
    *) return 1 ;;
  esac
  for line in "${(@)lines[2,-1]}"; do
    value=${line%%$'\t'*}
    if [[ $value == *[=@] ]]; then open_+=("$value"); else words_+=("${value//:/\\:}:${line#*$'\t'}"); fi
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
