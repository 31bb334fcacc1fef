(function_declaration name: (_) @name) @def.function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner)) name: (_) @name) @def.method
(type_spec name: (_) @name type: (struct_type)) @def.struct
(type_spec name: (_) @name type: (interface_type)) @def.interface
(type_spec name: (_) @name type: [(type_identifier) (function_type) (map_type) (slice_type) (pointer_type) (array_type)
  (channel_type) (qualified_type) (generic_type)]) @def.type
(type_alias name: (_) @name) @def.type
(method_elem name: (_) @name) @def.method
(var_spec name: (identifier) @name value: (expression_list . (func_literal))) @def.function
(struct_type (field_declaration_list (field_declaration !name type: (_) @base)))

(call_expression function: (identifier) @callee) @call
(call_expression function: (selector_expression operand: (_) @receiver field: (_) @callee)) @call
(call_expression function: (type_instantiation_expression type: (type_identifier) @callee)) @call
(composite_literal type: (type_identifier) @callee) @new
(composite_literal type: (qualified_type package: (_) @receiver name: (_) @callee)) @new
(argument_list (identifier) @reference)

(import_spec) @import

(parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(parameter_declaration name: (identifier) @var type: (_) @type)
(var_spec name: (identifier) @var type: (_) @type)
(short_var_declaration left: (expression_list . (identifier) @var) right: (expression_list . (composite_literal type: (_) @type)))
(short_var_declaration left: (expression_list . (identifier) @var)
  right: (expression_list . (unary_expression operand: (composite_literal type: (_) @type))))
(field_declaration name: (_) @field type: (_) @type)
