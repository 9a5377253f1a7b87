/** Which run an event belongs to, and who asked for it. */
export interface Trace {
  runId: string;
  requestId: string;
  /** The step of a plan that the run is. */
  stepName?: string;
  /** The execution or run that started this run. */
  parentId?: string;
}
