(function_definition name: (_) @name) @def.function
(class_declaration name: (_) @name) @def.class
(interface_declaration name: (_) @name) @def.interface
(trait_declaration name: (_) @name) @def.trait
(enum_declaration name: (_) @name) @def.enum
(method_declaration name: (_) @name) @def.method
(base_clause (_) @base)
(class_interface_clause (_) @base)
(use_declaration (_) @base)

(function_call_expression function: [(name) (qualified_name)] @callee) @call
(member_call_expression object: (_) @receiver name: (name) @callee) @call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @callee) @call
(scoped_call_expression scope: (_) @receiver name: (name) @callee) @call
(object_creation_expression [(name) (qualified_name)] @callee) @new

(namespace_use_declaration) @import
(namespace_definition name: (_) @package)

(simple_parameter type: (_) @type name: (variable_name) @var)
(property_promotion_parameter type: (_) @type name: (variable_name) @field)
(property_promotion_parameter type: (_) @type name: (variable_name) @var)
(assignment_expression left: (variable_name) @var right: (object_creation_expression [(name) (qualified_name)] @type))
(assignment_expression left: (member_access_expression object: (variable_name) name: (name) @field)
  right: (object_creation_expression [(name) (qualified_name)] @type))
(property_declaration type: (_) @type (property_element name: (variable_name) @field))
