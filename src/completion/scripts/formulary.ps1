# formulary completion for PowerShell; $PROFILE: formulary completion powershell | Out-String | Invoke-Expression
# Without results, PowerShell completes files and folders. Works in Windows PowerShell 5.1 too.
Register-ArgumentCompleter -Native -CommandName formulary -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
    ForEach-Object { $_.ToString() } | Where-Object { $_ -ne '' })
  $lines = @(& formulary completion powershell '--' @before "=$wordToComplete" 2>$null)
  if ($lines.Count -eq 0) { return }
  $kind, $prefix = $lines[0] -split "`t", 2
  if ($kind -eq 'words') {
    foreach ($line in $lines | Select-Object -Skip 1) {
      $value, $description = $line -split "`t", 2
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
