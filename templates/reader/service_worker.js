{% load static %}// Kept of the reader is the offline page with what it links to, no page of anybody: those are asked for each time.
"use strict";
const STATIC = "{% get_static_prefix %}";
const PAGE = "{% url 'offline' %}";
const NAME = PAGE.slice(1, -1); // other programs of this origin see the same store

const keep = async () => {
  const page = await (await fetch(PAGE, { cache: "reload" })).text();
  const linked = [...page.matchAll(/href="([^"]+)"/g)].map((match) => match[1]).filter((each) => each.startsWith(STATIC));
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
