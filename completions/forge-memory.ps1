# Completion of forge-memory for PowerShell. To load it in every session, add this line to the file that $PROFILE names:
#   forge-memory completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName forge-memory -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $words = @($typed | Select-Object -Skip 1)
  # Some versions drop an empty argument, so the last one begins with a sign that is taken off again.
  $answer = @(& $commandAst.CommandElements[0].ToString() completion powershell '--' @words "=$wordToComplete" 2>$null)
  $answer | Select-Object -Skip 1 | ForEach-Object {
    $value, $about = $_ -split "`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
