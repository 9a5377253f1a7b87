/** Who asks. Passed through to guards, records and the tool; never interpreted by the executor. */
export interface Principal {
  id: string;
  [attribute: string]: unknown;
}
