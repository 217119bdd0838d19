// A schema and a value may both come from a stranger. These bounds are far beyond what anybody writes by hand.

/** Schemas within a schema, itself included. */
export const MOST_SCHEMAS = 20_000;
/** JSON values of all kinds in a schema, those of `enum` and `const` included. */
export const MOST_SCHEMA_VALUES = 200_000;
/** Characters of all keys and texts of a schema together. */
export const MOST_SCHEMA_TEXT = 2_000_000;
/** Levels of a schema. */
export const DEEPEST_SCHEMA = 200;
/** Problems of a schema that are told. */
export const MOST_PROBLEMS = 50;

/** Steps of one check; a step is about one value under one schema. A report of 5 MB takes less than a million. */
export const MOST_STEPS = 20_000_000;
/** Schemas that are at work one inside the other during a check. */
export const DEEPEST_CHECK = 600;
/** Faults that a check tells unless it is asked for another number. */
export const MOST_FAULTS = 100;

/** States of one pattern, repetitions written out. */
export const MOST_PATTERN_STATES = 2_000;
/** The same, for all patterns of a schema together. */
export const MOST_STATES_IN_ALL = 100_000;
/** Groups one inside the other. */
export const DEEPEST_PATTERN = 100;
