/** Exit codes: done, failed, or terminated by a signal (128 plus its number). */
export const EXIT = { done: 0, failed: 1, interrupted: 130, terminated: 143 } as const;
