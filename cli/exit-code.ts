/** How the process ends: done, failed, or by a signal (128 and its number). */
export const EXIT = { done: 0, failed: 1, interrupted: 130, terminated: 143 } as const;
