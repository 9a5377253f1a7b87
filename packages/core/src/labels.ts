/** What a tool says of the data it returns and of the parameters that carry data out. Read by information-flow guards. */
export interface Labels {
  /** "untrusted": text from outside that may carry instructions. Default "trusted". */
  integrity?: "trusted" | "untrusted";
  /** "private": data that must not leave unasked. Default "public". */
  confidentiality?: "public" | "private";
  /** Where the data comes from, such as "web" or "mail". */
  source?: string;
  /** Parameters whose values leave the system or choose a recipient. */
  sinks?: readonly string[];
}
