//! What the operations take and answer, as TypeScript: written from the declarations of the arguments and answers themselves, so that no
//! second struct says the same again. `index.d.ts` begins with the result; the build of the engine writes
//! the functions behind it.
//! For the surfaces, `lib/shared/declared.json` has the fields of
//! the arguments, and `lib/mcp/answer/told.json` those of answers.

mod declarations;
mod declared;
mod typescript;

pub use declarations::{answers, inputs};
pub use declared::declared;
use typescript::list;
pub use typescript::typescript;
