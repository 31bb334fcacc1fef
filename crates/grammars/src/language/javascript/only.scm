(class_heritage [(identifier) (member_expression)] @base)
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @def.method
(class name: (_) @name) @def.class.inner
(class_heritage (call_expression) @base)
(field_definition property: (_) @field value: (new_expression constructor: (identifier) @type))
(jsx_opening_element name: (identifier) @callee) @jsx
(jsx_self_closing_element name: (identifier) @callee) @jsx
(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local))
(formal_parameters (rest_pattern (identifier) @local))
