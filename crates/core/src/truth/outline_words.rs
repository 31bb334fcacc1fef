//! Words that tell what a text says about its subject, for outlines.

/// Function words, and words that no subject is told by.
pub(super) const EMPTY: &str = "our or but if than more less one two only own there never always new old previous former way bit lot use used uses using want wants like \
     even much many too day days today since until after before while when where which what how why because does did been being \
     off out up down back well";

/// Words that say that something has ended or was replaced.
pub(super) const ENDS: &str = "gone dead removed deleted dropped retired archived deprecated replaced replaces replace replacing reverted abolished \
     uninstalled expired obsolete instead longer anymore unused superseded supersedes disabled shut killed ditched left \
     decommissioned ignored was were previously formerly stopped out history geschichte \
     changed leave not away over from vs quit split renamed rid goodbye wrapper sunset discontinued abandoned \
     scrapped swapped broke broken too wasn't isn't aren't no don't";

/// Words that say that something has changed.
pub(super) const CHANGES: &str = "gone bump bumped raise lower move switch migrate replace drop remove \
 removed deleted replaces ported upgrade upgraded since rolled rebuilt permanently abolished uninstalled dead archived \
 expired retired onward onwards meanwhile cutover shipped unpin unpinned turned rewrote took \
 renewed introduced adopted rollout goodbye decided previously formerly replaced";

/// Words that refer to the future.
pub(super) const AHEAD: &str = "will someday soon eventually";
