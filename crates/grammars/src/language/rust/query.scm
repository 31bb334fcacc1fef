(function_item name: (_) @name) @def.function
(function_signature_item name: (_) @name) @def.function
(struct_item name: (_) @name) @def.struct
(union_item name: (_) @name) @def.struct
(enum_item name: (_) @name) @def.enum
(trait_item name: (_) @name) @def.trait
(type_item name: (_) @name) @def.type
(mod_item name: (_) @name body: (_)) @def.module
(macro_definition name: (_) @name) @def.macro
(impl_item type: (_) @name) @scope
(impl_item trait: (_) @base.of type: (_) @base.to)

(call_expression function: (identifier) @callee) @call
(call_expression function: (scoped_identifier path: (_) @receiver name: (_) @callee)) @call
(call_expression function: (scoped_identifier !path name: (_) @callee)) @call
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @callee)) @call
(call_expression function: (generic_function function: (identifier) @callee)) @call
(call_expression function: (generic_function function: (scoped_identifier path: (_) @receiver name: (_) @callee))) @call
(call_expression function: (generic_function function: (field_expression value: (_) @receiver field: (field_identifier) @callee))) @call
(macro_invocation macro: (identifier) @callee) @macro
(macro_invocation macro: (scoped_identifier path: (_) @receiver name: (_) @callee)) @macro
(macro_invocation (token_tree) @tokens)
(struct_expression name: (_) @callee) @new
(arguments (identifier) @reference)
(arguments (scoped_identifier path: (_) @receiver name: (_) @callee) @reference.scoped)

(use_declaration) @import
(mod_item !body) @import
(extern_crate_declaration) @import

(parameter pattern: (identifier) @local)
(closure_parameters (identifier) @local)
(let_declaration pattern: (identifier) @local)
(parameter pattern: (_) @var type: (_) @type)
(let_declaration pattern: (identifier) @var type: (_) @type)
(let_declaration pattern: (identifier) @var value: (call_expression function: (scoped_identifier path: (_) @type name: (identifier))))
(let_declaration pattern: (identifier) @var value: (try_expression (call_expression function: (scoped_identifier path: (_) @type name: (identifier)))))
(let_declaration pattern: (identifier) @var value: (struct_expression name: (_) @type))
(let_declaration pattern: (identifier) @var value: (reference_expression value: (struct_expression name: (_) @type)))
(field_declaration name: (_) @field type: (_) @type)
