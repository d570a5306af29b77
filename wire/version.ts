/** The version of the package. The release script writes it, and a test compares it with each package.json. */
export const VERSION = "0.2.0";
