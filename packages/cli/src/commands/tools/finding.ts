/** Something about a tool that a model will stumble over, or that a vendor cannot be told. */
export interface Finding {
  /** Absent for what is said of all tools together. */
  tool?: string;
  rule: Rule;
  /** A warning fails the command; a note does not. */
  level: "warning" | "note";
  /** A JSON pointer into the tool's input schema. */
  path?: string;
  /** For what only this vendor cannot be told. */
  vendor?: string;
  message: string;
}

/** What is found: a name for each, to look for in the output. */
type Rule =
  /** A name that does not say what the tool does. */
  | "vague-name"
  /** A description from which nobody knows when to call it. */
  | "vague-description"
  | "undescribed-parameter"
  /** A parameter whose name says nothing. */
  | "vague-parameter"
  /** Two tools that a model will take for each other. */
  | "ambiguous-pair"
  /** A definition that takes much of a model's attention. */
  | "large-definition"
  /** It counts as external and not idempotent. */
  | "undeclared-safety"
  /** Something that a vendor's schema cannot say. */
  | "lost-for-vendor";
