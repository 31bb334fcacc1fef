(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @def.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @def.function
(struct_specifier name: (_) @name body: (_)) @def.struct
(union_specifier name: (_) @name body: (_)) @def.struct
(enum_specifier name: (_) @name body: (_)) @def.enum
(type_definition declarator: (type_identifier) @name) @def.type
(preproc_function_def name: (_) @name) @def.macro

(call_expression function: (identifier) @callee) @call
(call_expression function: (field_expression argument: (_) @receiver field: (_) @callee)) @call
(argument_list (identifier) @reference)
(initializer_list (identifier) @reference)
(initializer_pair value: (identifier) @reference)

(preproc_include) @import

(parameter_declaration declarator: (identifier) @local)
(parameter_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local))))
