//! Thoughts of the shared store, as several areas answer them.

/// Makes an object of this library of a thought of the shared store and of the fields that the object has beside.
#[macro_export]
macro_rules! with_stored_thought {
    ($object:ident, $thought:expr $(, $field:ident: $value:expr)* $(,)?) => {{
        let thought: forge_memory_core::thought::StoredThought = $thought;
        $object {
            id: thought.id,
            content: thought.content,
            project: thought.project,
            kind: thought.kind,
            source: thought.source,
            created_by: thought.created_by,
            captured_at: thought.captured_at,
            expires_at: thought.expires_at,
            tags: thought.tags,
            confidence: thought.confidence,
            supersedes: thought.supersedes,
            metadata: thought.metadata,
            $($field: $value,)*
        }
    }};
}

pub use with_stored_thought;
