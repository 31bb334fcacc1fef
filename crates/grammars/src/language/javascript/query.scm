; Definitions
(function_declaration name: (_) @name) @def.function
(generator_function_declaration name: (_) @name) @def.function
(class_declaration name: (_) @name) @def.class
(method_definition name: (_) @name) @def.method
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @def.function
(variable_declarator name: (identifier) @name value: (class)) @def.class
(pair key: [(property_identifier) (string)] @name value: [(arrow_function) (function_expression)]) @def.method
(assignment_expression
  left: (member_expression object: (_) @owner property: [(property_identifier) (private_property_identifier)] @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @def.function
(assignment_expression
  left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: (class)) @def.class
(export_statement value: [(arrow_function) (function_expression) (generator_function)]) @def.function.default
(export_statement value: (class)) @def.class.default
(export_statement declaration: (function_declaration !name)) @def.function.default
(variable_declarator name: (identifier) @name value: (object)) @scope
(assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name) right: (object)) @scope

; Calls
(call_expression function: (identifier) @callee) @call
(call_expression function: (member_expression object: (_) @receiver
  property: [(property_identifier) (private_property_identifier)] @callee)) @call
(call_expression function: (super) @callee) @call
(new_expression constructor: (identifier) @callee) @new
(new_expression constructor: (member_expression object: (_) @receiver property: (property_identifier) @callee)) @new
(arguments (identifier) @reference)

; Imports and exports
(import_statement) @import
(export_statement source: (string)) @import
(export_statement (export_clause)) @import
(export_statement value: (identifier)) @import
(export_statement "default" declaration: (_ name: (_))) @import
(assignment_expression left: (member_expression) right: [(identifier) (object) (call_expression)]) @import
(call_expression function: (identifier) @import.require (#eq? @import.require "require"))
(call_expression function: (import)) @import.dynamic

; What a name stands for
(arrow_function parameter: (identifier) @local)
(shorthand_property_identifier_pattern) @local
(variable_declarator name: (identifier) @local value: [
  (identifier) (call_expression) (member_expression) (await_expression) (ternary_expression) (binary_expression)
  (subscript_expression)])
(variable_declarator name: (identifier) @local !value)
(variable_declarator name: (identifier) @var value: (new_expression constructor: (identifier) @type))
(assignment_expression left: (identifier) @var right: (new_expression constructor: (identifier) @type))
(assignment_expression left: (member_expression object: (this) property: (_) @field)
  right: (new_expression constructor: (identifier) @type))
