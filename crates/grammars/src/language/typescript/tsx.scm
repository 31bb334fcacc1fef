(jsx_opening_element name: (identifier) @callee) @jsx
(jsx_self_closing_element name: (identifier) @callee) @jsx
