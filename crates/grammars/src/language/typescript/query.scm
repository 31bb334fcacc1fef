(interface_declaration name: (_) @name) @def.interface
(type_alias_declaration name: (_) @name) @def.type
(enum_declaration name: (_) @name) @def.enum
(abstract_class_declaration name: (_) @name) @def.class
(internal_module name: (_) @name) @def.module
(module name: (_) @name) @def.module
(abstract_method_signature name: (_) @name) @def.method
(method_signature name: (_) @name) @def.method
(function_signature name: (_) @name) @def.function
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @def.method
(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)
(import_alias) @import
(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(required_parameter pattern: (rest_pattern (identifier) @local))
(variable_declarator name: (identifier) @var type: (type_annotation (_) @type))
(required_parameter pattern: (identifier) @var type: (type_annotation (_) @type))
(optional_parameter pattern: (identifier) @var type: (type_annotation (_) @type))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @type))
(public_field_definition name: (_) @field type: (type_annotation (_) @type))
(public_field_definition name: (_) @field value: (new_expression constructor: (identifier) @type))
(property_signature name: (_) @field type: (type_annotation (_) @type))
