(function_definition name: (word) @name) @def.function
(command name: (command_name (word) @callee)) @call
(command name: (command_name (word) @_source) argument: (_) @import.path (#any-of? @_source "source" "."))
