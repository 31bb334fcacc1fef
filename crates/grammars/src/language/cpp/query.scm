(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @def.method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @def.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name))) @def.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @def.function
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (_) @name))) @def.method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (_) @name)))) @def.method
(function_definition declarator: (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @owner name: (_) @name)))) @def.method
(function_definition declarator: (function_declarator declarator: (destructor_name) @name)) @def.method
(function_definition declarator: (function_declarator declarator: (operator_name) @name)) @def.method
(class_specifier name: (_) @name body: (_)) @def.class
(namespace_definition name: (_) @name) @def.module
(alias_declaration name: (_) @name) @def.type
(concept_definition name: (_) @name) @def.type
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)

(call_expression function: (qualified_identifier scope: (_) @receiver name: (identifier) @callee)) @call
(call_expression function: (qualified_identifier scope: (_) @receiver name: (template_function name: (identifier) @callee))) @call
(call_expression function: (template_function name: (identifier) @callee)) @call
(call_expression function: (field_expression argument: (_) @receiver field: (template_method name: (_) @callee))) @call
(new_expression type: (_) @callee) @new
(compound_literal_expression type: (type_identifier) @callee) @new
(declaration type: (type_identifier) @callee declarator: (init_declarator value: [(argument_list) (initializer_list)])) @new

(using_declaration) @import

(parameter_declaration declarator: (reference_declarator (identifier) @local))
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @local))
(parameter_declaration type: (_) @type declarator: (identifier) @var)
(parameter_declaration type: (_) @type declarator: (reference_declarator (identifier) @var))
(parameter_declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @var))
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type declarator: (identifier) @var)
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type declarator: (pointer_declarator declarator: (identifier) @var))
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type declarator: (init_declarator declarator: (identifier) @var))
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @var)))
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @type declarator: (init_declarator declarator: (reference_declarator (identifier) @var)))
(declaration declarator: (init_declarator declarator: (identifier) @var value: (new_expression type: (_) @type)))
(field_declaration type: (_) @type declarator: (field_identifier) @field)
(field_declaration type: (_) @type declarator: (pointer_declarator declarator: (field_identifier) @field))
