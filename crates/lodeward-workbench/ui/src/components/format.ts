// Numbers, sizes and times as text.

const number = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

// A count: exact below 10,000,000 in tables, where digits align.
export const count = (value: number): string => number.format(value);
// A count where there is little room: exact below 10,000.
export const short = (value: number): string => (value < 10_000 ? number.format(value) : compact.format(value));

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}

export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let [size, unit] = [value, 0];
  while (size >= 1000 && unit < units.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}

// Minutes and seconds of a running crawl.
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

export function ago(time: string, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const [value, unit] = largestUnit(seconds);
  return relative.format(Math.round(value), unit);
}

function largestUnit(seconds: number): [number, Intl.RelativeTimeFormatUnit] {
  const size = Math.abs(seconds);
  if (size < 45) return [0, 'second'];
  if (size < 45 * 60) return [seconds / 60, 'minute'];
  if (size < 22 * 3600) return [seconds / 3600, 'hour'];
  if (size < 26 * 86400) return [seconds / 86400, 'day'];
  return size < 320 * 86400 ? [seconds / (30.4 * 86400), 'month'] : [seconds / (365.25 * 86400), 'year'];
}

export const exactTime = (time: string): string => absolute.format(new Date(time));
