# formulary completion for bash; ~/.bashrc: eval "$(formulary completion bash)"
# Works in bash 3.2 (macOS), which has no compopt. The line is never evaluated.
_formulary() {
  COMPREPLY=()
  local line kind= head= current=${COMP_WORDS[COMP_CWORD]}
  while IFS= read -r line; do
    if [ -z "$kind" ]; then head=$line kind=${line%%$'\t'*}; else COMPREPLY+=("${line%%$'\t'*}"); fi
  done < <(command formulary completion bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" </dev/null 2>/dev/null)
  case $kind in
    files)
      # After an @ bash completes host names.
      case $head in
        *@)
          compopt -o filenames 2>/dev/null || return
          while IFS= read -r line; do COMPREPLY+=("@$line"); done < <(compgen -f -- "${current#@}")
          ;;
      esac
      return
      ;;
    folders) compopt -o dirnames +o default 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
  case ${COMPREPLY[0]} in *[=@]) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -F _formulary formulary
