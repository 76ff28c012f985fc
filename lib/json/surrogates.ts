/** Whether a code unit of UTF-16 is the first half of a pair. */
export const isHighSurrogate = (unit: number): boolean => (unit & ~0x3ff) === 0xd800
/** Whether it is the second half. */
export const isLowSurrogate = (unit: number): boolean => (unit & ~0x3ff) === 0xdc00
