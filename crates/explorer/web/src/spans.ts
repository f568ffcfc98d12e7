// Ranges as text, and the slider for their upper end.

/** A range with two numbers, and the text after it, such as ` step 4`. */
export interface Span {
  low: number;
  high: number;
  rest: string;
}

export function parseSpan(text: string): Span | undefined {
  const match = /^\s*(-?\d+)\s*\.\.\s*(-?\d+)(?!\w)(\s*(?:step\b.*)?)$/.exec(text);
  if (match === null) return undefined;
  const [low, high] = [Number(match[1]), Number(match[2])];
  return Number.isSafeInteger(low) && Number.isSafeInteger(high) && low <= high ? { low, high, rest: match[3]! } : undefined;
}

export function spanText({ low, high, rest }: Span): string {
  return `${low}..${high}${rest}`;
}

/**
 * The numbers of values at which the slider stops: each power of two, the power plus one, and 1.5 times the power.
 */
const stops: readonly number[] = (() => {
  const out = new Set<number>();
  for (let power = 1; power <= 2 ** 32; power *= 2) for (const size of [power, power + 1, power * 1.5]) out.add(Math.floor(size));
  return [...out].sort((a, b) => a - b);
})();

export const lastStop = stops.length - 1;

/** The greatest stop that is at most the number of values of the range. */
export function stopOf({ low, high }: Span): number {
  const above = stops.findIndex((size) => size > high - low + 1);
  return above < 0 ? lastStop : Math.max(0, above - 1);
}

/** A range with the same lower end, and with as many values as the stop says. */
export function atStop(span: Span, stop: number): Span {
  return { ...span, high: span.low + stops[Math.max(0, Math.min(lastStop, stop))]! - 1 };
}
