/** What came from the wire is not what it should be. Its message says why. */
export class MalformedMessage extends Error {}
