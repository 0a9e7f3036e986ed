//! The gateway against an origin that does as it is told.
