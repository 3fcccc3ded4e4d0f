{% load static %}// Caches only the offline page and the files it links to. All other pages always come from the server.
"use strict";
const STATIC = "{% get_static_prefix %}";
const PAGE = "{% url 'offline' %}";
const NAME = PAGE.slice(1, -1); // other apps on this origin share the cache storage

const keep = async () => {
  const page = await (await fetch(PAGE, { cache: "reload" })).text();
  const links = [...page.matchAll(/href="([^"]+)"/g)].map((match) => match[1]);
  const linked = links.filter((link) => link.startsWith(STATIC));
  await caches.delete(NAME);
  const cache = await caches.open(NAME);
  await cache.addAll([PAGE, ...linked]);
};

self.addEventListener("install", (event) => event.waitUntil(keep().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const isOurs = new URL(request.url).origin === location.origin;
  if (request.method !== "GET" || !isOurs) return;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match(PAGE)));
  else if (["style", "image", "font"].includes(request.destination))
    event.respondWith(fetch(request).catch(async () => (await caches.match(request)) ?? Response.error()));
});
