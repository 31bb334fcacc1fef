//! What keeps a memory sound and small, and what goes in and out of it as a whole.

pub(crate) mod background;
