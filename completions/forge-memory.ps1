# Completion of forge-memory for PowerShell. To load it in every session, add this line to the file that $PROFILE names:
#   forge-memory completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName forge-memory -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $words = @($typed | Select-Object -Skip 1)
  # Whatever the line begins with: a program of the current folder may have come with a clone.
  $program = (Get-Command forge-memory -CommandType Application, ExternalScript -ErrorAction SilentlyContinue | Select-Object -First 1).Source
  $here = (Get-Location).ProviderPath.TrimEnd('\', '/')
  $isHere = $program -and ($program.StartsWith("$here\", 'OrdinalIgnoreCase') -or $program.StartsWith("$here/", 'OrdinalIgnoreCase'))
  if (-not $program -or $isHere -or -not [System.IO.Path]::IsPathRooted($program)) { return }
  # Some versions drop an empty argument, so the last one begins with a sign that is taken off again.
  $answer = @(& $program completion powershell '--' @words "=$wordToComplete" 2>$null)
  $answer | Select-Object -Skip 1 | ForEach-Object {
    $value, $about = $_ -split "`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
