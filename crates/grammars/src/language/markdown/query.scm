(section (atx_heading heading_content: (_) @name)) @def.section
(section (setext_heading heading_content: (_) @name)) @def.section
