// In a narrow window the table of contents is above the guide and initially closed.
if (matchMedia('(max-width: 900px)').matches) document.querySelector('.contents details').open = false;
