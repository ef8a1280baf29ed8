// Runs in the head, before anything is painted: colour scheme without a flash, and the reader's zone for the server.
(function () {
  const root = document.documentElement;
  let scheme = null;
  try { scheme = localStorage.getItem('mantine-color-scheme-value'); } catch (refused) { scheme = null; }
  if (scheme !== 'light' && scheme !== 'dark') {
    scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  root.setAttribute('data-mantine-color-scheme', scheme);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
  document.cookie = 'peakline_zone=' + encodeURIComponent(zone) + '; path=/; max-age=31536000; samesite=lax';
})();
