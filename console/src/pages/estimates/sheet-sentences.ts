/** The two expressions of a calculation sheet that are sentences, as the service writes them. */
export const ROUNDED_HALF_UP = /^(\S+) rounded half up to two decimals$/;
export const NOT_ROUNDED = 'not rounded: below the threshold';
