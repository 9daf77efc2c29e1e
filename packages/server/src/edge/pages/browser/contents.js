// In a narrow window the navigation is above the article and initially closed.
const pages = document.querySelector('.pages');
if (matchMedia('(max-width: 900px)').matches) pages.querySelector('details').open = false;
// The current page may be below the visible part of a long navigation.
else pages.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
