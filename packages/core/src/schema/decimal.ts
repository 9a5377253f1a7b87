/**
 * Whether a number is a multiple of another, as they are written in decimals: 0.3 is one of 0.1 although the quotient is
 * not whole, and 1.0000001 is none of 1.
 */
export function isMultiple(value: number, of: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0;
  const one = decimalOf(value);
  const other = decimalOf(of);
  const exponent = Math.min(one.exponent, other.exponent);
  return scaled(one, exponent) % scaled(other, exponent) === 0n;
}

interface Decimal {
  digits: bigint;
  exponent: number;
}

/** The shortest decimal that is read as this number: what `String` writes. */
function decimalOf(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** At most some 650 digits: the exponents of doubles end there. */
function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
