(method name: (_) @name) @def.method
(singleton_method name: (_) @name) @def.method
(class name: (_) @name) @def.class
(module name: (_) @name) @def.module
(superclass (_) @base)

(call !receiver method: (_) @callee) @call
(call receiver: (_) @receiver method: (_) @callee) @call
(body_statement (identifier) @maybe)
(call receiver: (identifier) @maybe)
(argument_list (identifier) @maybe)
(assignment right: (identifier) @maybe)
(interpolation (identifier) @maybe)
(binary (identifier) @maybe)
(then (identifier) @maybe)
(block_body (identifier) @maybe)
(if condition: (identifier) @maybe)
(unless condition: (identifier) @maybe)
(return (argument_list (identifier) @maybe))

(method_parameters (identifier) @local)
(optional_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(block_parameters (identifier) @local)
(splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(assignment left: (identifier) @local)
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(exception_variable (identifier) @local)
(assignment left: (identifier) @var right: (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @_new (#eq? @_new "new")))
(assignment left: (instance_variable) @field right: (call receiver: [(constant) (scope_resolution)] @type method: (identifier) @_new (#eq? @_new "new")))
