"""Addresses of the reader's pages. Under /feeds/ a number is the user's own subscription."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from reader.views import account, article, feeds, following, lists, notifications, story

urlpatterns = [
    path("", lists.home, name="home"),
    path("read/", lists.read_all, name="read_all"),
    path("starred/", lists.starred, name="starred"),
    path("folders/<int:pk>/", lists.folder, name="folder"),
    path("folders/<int:pk>/selection/", lists.selection, name="selection"),
    path("folders/<int:pk>/read/", lists.folder_read_all, name="folder_read_all"),
    path("feeds/<int:pk>/", lists.feed, name="feed"),
    path("feeds/<int:pk>/read/", lists.feed_read_all, name="feed_read_all"),
    path("feeds/<int:pk>/edit/", feeds.feed_edit, name="feed_edit"),
    path("feeds/<int:pk>/unfollow/", feeds.feed_unfollow, name="feed_unfollow"),
    path("feeds/<int:pk>/poll/", feeds.feed_poll, name="feed_poll"),
    path("feeds/<int:pk>/follow/", feeds.feed_follow_found, name="feed_follow_found"),
    path("articles/<int:pk>/", article.article, name="article"),
    path("articles/<int:pk>/read/", article.article_read, name="article_read"),
    path("articles/<int:pk>/star/", article.article_star, name="article_star"),
    path("articles/<int:pk>/separate/", story.article_separate, name="article_separate"),
    path("articles/<int:pk>/put-back/", story.article_put_back, name="article_put_back"),
    path("stories/<int:pk>/", story.story, name="story"),
    path("stories/<int:pk>/read/", story.story_read_all, name="story_read_all"),
    path("subscribe/", following.subscribe, name="subscribe"),
    path("imports/<int:pk>/", following.import_progress, name="import"),
    path("export.opml", following.export_opml, name="export_opml"),
    path("health/", feeds.health, name="health"),
    path("notifications/", notifications.notifications, name="notifications"),
    path("notifications/seen/", notifications.notifications_seen, name="notifications_seen"),
    path("notifications/<int:pk>/seen/", notifications.notification_seen, name="notification_seen"),
    path("setup/", account.setup, name="setup"),
    path("login/", account.SignInView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("healthz", account.healthz, name="healthz"),
]
