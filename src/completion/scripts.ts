/** The completion scripts: they run the tool for completions, and the shell completes files and folders. */
import scripts from '../generated/completion-scripts.js';
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

/** They always run `formulary`, not the first word of the line, which may be any program. */
export const SCRIPTS: Readonly<Record<Shell, string>> = scripts;
