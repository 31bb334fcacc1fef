(class_declaration name: (_) @name) @def.class
(record_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(annotation_type_declaration name: (_) @name) @def.interface
(enum_declaration name: (_) @name) @def.enum
(method_declaration name: (_) @name) @def.method
(constructor_declaration name: (_) @name) @def.method
(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))

(method_invocation !object name: (_) @callee) @call
(method_invocation object: (_) @receiver name: (_) @callee) @call
(object_creation_expression type: (_) @callee) @new
(explicit_constructor_invocation constructor: (_) @callee) @call
(method_reference . (_) @receiver (identifier) @callee .) @call

(import_declaration) @import
(package_declaration) @import

(formal_parameter name: (identifier) @local)
(formal_parameter type: (_) @type name: (identifier) @var)
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @var))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @var value: (object_creation_expression type: (_) @type)))
(enhanced_for_statement type: (_) @type name: (identifier) @var)
(resource type: (_) @type name: (identifier) @var)
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @field))
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (identifier) @field)))
