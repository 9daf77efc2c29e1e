// On a narrow window the table of contents stands above the guide, and is opened by whoever wants it.
if (matchMedia('(max-width: 900px)').matches) document.querySelector('.contents details').open = false;
