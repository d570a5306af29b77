import { REQUESTS_PER_MINUTE } from "./limits.js";

/** The price of a minute in which all requests are used, in cents. */
export const priceOfMinute = () => REQUESTS_PER_MINUTE * 2;
