/**
 * Thrown, inside this folder only, when a value takes more work than the limits allow. Whoever checks a value catches it and
 * knows nothing of the value then: neither that it is valid nor that it is not.
 */
export class TooComplex extends Error {}
