(function_definition name: (identifier) @name) @def.function
(class_definition name: (identifier) @name) @def.class
(assignment left: (identifier) @name right: (lambda)) @def.function
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))

(call function: (identifier) @callee) @call
(call function: (attribute object: (_) @receiver attribute: (identifier) @callee)) @call
(decorator (identifier) @callee) @call
(decorator (attribute object: (_) @receiver attribute: (identifier) @callee)) @call
(argument_list (identifier) @reference)
(keyword_argument value: (identifier) @reference)

(import_statement) @import
(import_from_statement) @import

(parameters (identifier) @local)
(default_parameter name: (identifier) @local)
(typed_parameter (identifier) @local)
(typed_default_parameter name: (identifier) @local)
(lambda_parameters (identifier) @local)
(assignment left: (identifier) @local)
(for_statement left: (identifier) @local)
(as_pattern_target (identifier) @local)
(assignment left: (identifier) @var right: (call function: [(identifier) (attribute)] @type.made))
(assignment left: (identifier) @var type: (type) @type)
(typed_parameter (identifier) @var type: (type) @type)
(typed_default_parameter name: (identifier) @var type: (type) @type)
(assignment left: (attribute object: (identifier) attribute: (identifier) @field)
  right: (call function: [(identifier) (attribute)] @type.made))
(assignment left: (attribute object: (identifier) attribute: (identifier) @field) type: (type) @type)
(with_item value: (as_pattern (call function: [(identifier) (attribute)] @type.made) (as_pattern_target (identifier) @var)))
