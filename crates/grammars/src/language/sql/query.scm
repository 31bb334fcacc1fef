(create_table (object_reference name: (_) @name)) @def.table
(create_view (object_reference name: (_) @name)) @def.view
(create_materialized_view (object_reference name: (_) @name)) @def.view
(create_function (object_reference name: (_) @name)) @def.function
(create_trigger (object_reference name: (_) @name)) @def.trigger
(create_type (object_reference name: (_) @name)) @def.type
(create_index column: (_) @name) @def.index
(invocation (object_reference name: (_) @callee)) @call
(relation (object_reference name: (_) @callee)) @reads
(insert (object_reference name: (_) @callee)) @reads
