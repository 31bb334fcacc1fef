(class_declaration name: (_) @name) @def.class
(record_declaration name: (_) @name) @def.class
(struct_declaration name: (_) @name) @def.struct
(interface_declaration name: (_) @name) @def.interface
(enum_declaration name: (_) @name) @def.enum
(delegate_declaration name: (_) @name) @def.type
(method_declaration name: (_) @name) @def.method
(constructor_declaration name: (_) @name) @def.method
(local_function_statement name: (_) @name) @def.function
(namespace_declaration name: (_) @name) @def.module
(base_list (_) @base)

(invocation_expression function: (identifier) @callee) @call
(invocation_expression function: (generic_name (identifier) @callee)) @call
(invocation_expression function: (member_access_expression expression: _ @receiver name: (identifier) @callee)) @call
(invocation_expression function: (member_access_expression expression: _ @receiver name: (generic_name (identifier) @callee))) @call
(invocation_expression function: (conditional_access_expression condition: (_) @receiver (member_binding_expression name: (identifier) @callee))) @call
(object_creation_expression type: (_) @callee) @new
(argument (identifier) @reference)

(using_directive) @import
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)

(parameter name: (identifier) @local)
(parameter type: (_) @type name: (identifier) @var)
(variable_declaration type: (_) @type (variable_declarator name: (identifier) @var))
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @var (object_creation_expression type: (_) @type))))
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (identifier) @field)))
(property_declaration type: (_) @type name: (identifier) @field)
(foreach_statement type: (_) @type left: (identifier) @var)
